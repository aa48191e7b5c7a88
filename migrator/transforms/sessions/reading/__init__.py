"""What a session program says: its run sites, what they feed and fetch, who shares a graph."""

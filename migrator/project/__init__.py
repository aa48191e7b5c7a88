"""Files in and out: discovery, encodings, line ends, git state, journal, undo, lock."""

"""What `graph_programs` is made of: values, run sites, the functions that take their place."""

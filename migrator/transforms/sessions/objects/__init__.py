"""Classes that build a graph which others run: the class gets the functions, its users call them."""

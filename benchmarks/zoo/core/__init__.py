"""What the zoo's mechanisms and its run share; a mechanism's own file stands one folder up."""

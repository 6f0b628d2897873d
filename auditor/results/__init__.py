"""What is stored: results, the results document, comparison with a baseline."""

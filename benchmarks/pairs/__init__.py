"""Mechanisms that are broken on some pair of neighbours only, and correct ones: does the search find the pair?"""

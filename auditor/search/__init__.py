"""The past chooses: from draws already made, the event that the next draws will test."""

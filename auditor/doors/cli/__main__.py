"""`python -m auditor.doors.cli` is the same as `dp-audit`."""

import sys

from auditor.doors.cli import main

sys.exit(main())

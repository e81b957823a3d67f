"""Problems of a topology: rules that find them, their reasons, and fixes."""

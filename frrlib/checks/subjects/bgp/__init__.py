"""Problems of BGP: sessions, settings, and the propagation of routes within an AS."""

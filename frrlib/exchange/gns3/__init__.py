"""Projects of GNS3 (`.gns3`, `.gns3project`) with the configurations of FRR and VPCS beside them."""

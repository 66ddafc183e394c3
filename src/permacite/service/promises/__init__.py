"""What an archive promises beyond keeping: proofs, quotations, statements, copies of itself."""

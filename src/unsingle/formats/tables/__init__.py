"""Tables of cells, which CSV, Parquet, frames and unusual XES share: everything here needs polars."""

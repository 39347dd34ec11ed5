package import Manifest

extension Manifest {
  /// The tables of the migrations to which functions write whole rows.
  ///
  /// - Throws: `MigrationError` where the migrations cannot be read.
  package func writtenTables() async throws(MigrationError) -> [String] {
    SchemaShape(of: try await SchemaMigration.all(of: self)).written(by: self)
  }
}

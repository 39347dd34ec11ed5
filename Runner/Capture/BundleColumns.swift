package import Manifest

extension SchemaMigration {
  /// The columns of the tables that the bundle's migrations make, with their types in SQL, by the tables' names.
  package static func columns(of manifest: Manifest) async throws(MigrationError) -> [String: [String: String]] {
    SchemaShape(of: try await all(of: manifest)).tables.mapValues { columns in
      Dictionary(columns.map { ($0.name, $0.type) }) { first, _ in first }
    }
  }
}

/// The forms of a page that are for programs; its address says which one is meant.
enum SharedFormat: String, CaseIterable {
  case json, csv

  /// The name of the value in an address.
  static let field = "format"
}

import HTTP1

/// A client's wishes in the header field `Prefer`.
///
/// Source: https://www.rfc-editor.org/rfc/rfc7240
enum Preference: String {
  case respondAsync = "respond-async"

  func isExpressed(in request: HTTP1Request) -> Bool {
    guard let field = request.headers["prefer"] else { return false }
    return field.split(separator: ",").contains { preference in
      preference.prefix { $0 != ";" && $0 != "=" }.filter { $0 != " " && $0 != "\t" }.lowercased() == rawValue
    }
  }
}

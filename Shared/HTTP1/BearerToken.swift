/// The token of `Authorization: Bearer TOKEN`.
package enum BearerToken {
  /// The token in a field's value; `nil` for another scheme, or without a token.
  ///
  /// Source: https://www.rfc-editor.org/rfc/rfc9110#section-11.4
  package static func shown(in field: String) -> Substring? {
    let (scheme, rest) = (field.prefix { $0 != " " }, field.drop { $0 != " " })
    let token = rest.drop { $0 == " " }
    return scheme.lowercased() == "bearer" && !token.isEmpty ? token : nil
  }
}

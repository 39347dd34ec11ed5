import Terminal

extension RawJSON {
  /// The document for a person's terminal or a log: it means the same, and commands nothing.
  package var printable: String { String(decoding: bytes, as: UTF8.self).escapedInJSON }

  /// The document on many lines, members in their order and numbers with all their digits.
  package var pretty: String { pretty(indentation: "") }

  private func pretty(indentation: String) -> String {
    let inner = indentation + "  "
    switch kind {
    case .object where !members.isEmpty:
      let lines = members.map { member in
        let name = RawJSON(member.name).printable
        return "\(inner)\(name): \(member.value.pretty(indentation: inner))"
      }
      return "{\n\(lines.joined(separator: ",\n"))\n\(indentation)}"
    case .array where elements?.isEmpty == false:
      let lines = (elements ?? []).map { inner + $0.pretty(indentation: inner) }
      return "[\n\(lines.joined(separator: ",\n"))\n\(indentation)]"
    default: return printable
    }
  }
}

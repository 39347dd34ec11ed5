import System

/// An identifier as SQL writes it.
package func quoted(_ identifier: String) -> String {
  TableName.quoted(identifier)
}

/// A string as SQL writes it.
package func literal(_ text: String) -> String {
  let escaped = text.escaping("'", as: "''")
  return text.unicodeScalars.contains("\\") ? "E'\(escaped.escaping("\\", as: "\\\\"))'" : "'\(escaped)'"
}

/// A name that PostgreSQL does not cut: it keeps 63 bytes, and two long names could become one.
package func shortened(_ name: String) -> String {
  guard name.utf8.count > 63 else { return name }
  let hash = name.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  let suffix = "~" + String(hash, radix: 36)
  var start = name[...]
  while start.utf8.count + suffix.utf8.count > 63 { start.removeLast() }
  return start + suffix
}

extension [String?] {
  /// Columns separated by tabs, `\\N` for NULL, and an escape before characters that would look like either.
  var copyLine: [CChar] {
    var line: [CChar] = []
    for (index, column) in enumerated() {
      if index > 0 { line.append(CChar(bitPattern: UInt8(ascii: "\t"))) }
      guard let column else {
        line.append(contentsOf: "\\N".utf8.map { CChar(bitPattern: $0) })
        continue
      }
      for byte in column.utf8 {
        switch byte {
        case UInt8(ascii: "\\"), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
          line.append(CChar(bitPattern: UInt8(ascii: "\\")))
        default: break
        }
        line.append(CChar(bitPattern: byte))
      }
    }
    line.append(CChar(bitPattern: UInt8(ascii: "\n")))
    return line
  }
}

/// Makes a document of many others without reading these again.
enum JSONText {
  /// `[a,b,…]`.
  static func array(_ elements: some Sequence<some Sequence<UInt8>>) -> [UInt8] {
    var bytes = [UInt8(ascii: "[")]
    for element in elements {
      if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
      bytes += element
    }
    bytes.append(UInt8(ascii: "]"))
    return bytes
  }

  /// `{"name":value,…}`; the names need no escapes.
  static func object(_ members: KeyValuePairs<StaticString, [UInt8]>) -> [UInt8] {
    let lines = members.map { Array("\"\($0)\":".utf8) + $1 }
    return [UInt8(ascii: "{")] + lines.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "}")]
  }
}

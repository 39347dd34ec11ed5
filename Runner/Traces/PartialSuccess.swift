/// The part of a collector's answer that says how many spans it has left out.
enum PartialSuccess {
  /// `{"partialSuccess":{"rejectedSpans":"2"}}`, with a number of 64 bits as a string or a number.
  static func rejected(_ body: [UInt8]) -> Int {
    let name = Array(#""rejectedSpans""#.utf8)
    let starts = body.count < name.count ? 0..<0 : 0..<(body.count - name.count + 1)
    guard let start = starts.first(where: { body[$0..<($0 + name.count)].elementsEqual(name) }) else { return 0 }
    let rest = body[(start + name.count)...].drop { " :\"\n\r\t".utf8.contains($0) }
    return Int(String(decoding: rest.prefix { (0x30...0x39).contains($0) }, as: UTF8.self)) ?? 0
  }
}

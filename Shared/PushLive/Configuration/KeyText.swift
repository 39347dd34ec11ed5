import FoundationEssentials

/// The forms that a key or a JSON file may have in a variable: as it is, or in Base64; a key's line ends also as `\n`.
enum KeyText {
  /// A private key in PEM with its line ends, wherever the text has them as `\n`, as spaces or not at all.
  ///
  /// A text in which no key can be seen is returned as it is, for ``PrivateKeyFault``.
  static func pem(_ text: String) -> String {
    var text = plain(text)
    for (written, meant) in [("\\r", ""), ("\\n", "\n")] { text = text.replacing(written, with: meant) }
    let isBody = !text.contains("-----")
    if isBody, let bytes = base64(text), bytes.first == Self.sequence {
      return lines("-----BEGIN PRIVATE KEY-----", text[...], "-----END PRIVATE KEY-----")
    }
    guard let label = text.firstRange(of: "PRIVATE KEY-----"),
      let begin = text[..<label.upperBound].ranges(of: "-----BEGIN ").last,
      let end = text[label.upperBound...].firstRange(of: "-----END "),
      let last = text[end.upperBound...].firstRange(of: "-----"), base64(text[label.upperBound..<end.lowerBound]) != nil
    else { return text }
    return lines(
      text[begin.lowerBound..<label.upperBound], text[label.upperBound..<end.lowerBound],
      text[end.lowerBound..<last.upperBound])
  }

  /// A text that was put in Base64 as a whole, or the text itself.
  static func plain(_ text: String) -> String {
    guard let bytes = base64(text), let plain = String(bytes: bytes, encoding: .utf8),
      plain.contains("-----BEGIN ") || plain.contains("{")
    else { return text }
    return plain
  }

  /// The first byte of a key in DER.
  private static let sequence: UInt8 = 0x30

  private static func lines(_ first: some StringProtocol, _ body: Substring, _ last: some StringProtocol) -> String {
    let letters = Array(body.utf8.filter { !isSpace($0) })
    let rows = stride(from: 0, to: letters.count, by: 64).map {
      String(decoding: letters[$0..<min($0 + 64, letters.count)], as: UTF8.self)
    }
    return ([String(first)] + rows + [String(last)]).joined(separator: "\n") + "\n"
  }

  private static func base64(_ text: some StringProtocol) -> Data? {
    let letters = text.utf8.filter { !isSpace($0) }
    // Some tools leave out what fills the last four.
    let filling = repeatElement(UInt8(ascii: "="), count: (4 - letters.count % 4) % 4)
    return letters.isEmpty ? nil : Data(base64Encoded: Data(letters + filling))
  }

  private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}

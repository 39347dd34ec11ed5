/// The fault of a text that should be a private key in PEM, for the person who has put it there.
package enum PrivateKeyFault {
  /// The end of a sentence that begins with the text; nothing of a key is in it.
  ///
  /// - Parameter algorithm: what the key is for, such as ES256.
  package static func found(in text: String, for algorithm: String) -> String {
    if let key = try? KeyHandle.privateKey(pem: text) { return "has \(key.kind), which is not for \(algorithm)" }
    if text.contains("ENCRYPTED") { return "is encrypted: it must have no passphrase" }
    if text.contains(#"\n"#) { return #"has \n as text where its lines should end"# }
    guard text.contains("-----BEGIN ") else { return withoutBeginning(text) }
    guard text.contains("PRIVATE KEY-----") else { return "has no private key, but another thing in PEM" }
    guard text.contains("-----END ") else { return "is cut off: its line -----END PRIVATE KEY----- is missing" }
    let lines = text.split(whereSeparator: \.isNewline)
    if lines.count < 3 { return "is on one line: its line ends are missing" }
    if lines.contains(where: { $0.first?.isWhitespace == true }) { return "has spaces before its lines" }
    return "has no private key for \(algorithm) that can be read"
  }

  private static func withoutBeginning(_ text: String) -> String {
    let letters = text.filter { !$0.isWhitespace }
    if letters.isEmpty { return "is empty" }
    // So begins -----BEGIN in Base64.
    if letters.hasPrefix("LS0tLS1CRUdJTi") { return "is in Base64 as a whole: it must be decoded first" }
    let isBase64 = letters.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+/=".contains($0)) }
    // The shortest key has twice as many.
    return isBase64 && letters.count > 64
      ? "is Base64 alone: its lines -----BEGIN PRIVATE KEY----- and -----END PRIVATE KEY----- are missing"
      : "has no line -----BEGIN PRIVATE KEY-----"
  }
}

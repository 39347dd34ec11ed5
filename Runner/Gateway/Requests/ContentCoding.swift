import HTTP1

/// The coding of a body, such as gzip: none is decoded.
enum ContentCoding {
  /// The refusal of a request whose body is encoded; `nil` for any other.
  ///
  /// Source: https://www.rfc-editor.org/rfc/rfc9110#section-15.5.16
  static func refusal(of head: HTTP1Request) -> HTTP1Answer? {
    let codings = head.headers.words(of: "content-encoding")
    guard let coding = codings.first(where: { !["", "identity"].contains($0) }) else { return nil }
    return .failure(
      415, "UNSUPPORTED_MEDIA_TYPE", "The Content-Encoding \(coding) is not accepted: send the body as it is."
    ).with("Accept-Encoding", "identity")
  }
}

import HTTP2
import Testing

struct HeaderIndexingTests {
  @Test func fieldsAreIndexedAsAppleAdvises() async throws {
    let forms = try await forms(ofRequests: 3)

    let literal: [SentField.Form] = [.withoutIndexing, .withoutIndexing, .withoutIndexing]
    #expect(forms[":path"] == literal)
    #expect(forms["authorization"] == [.neverIndexed, .neverIndexed, .neverIndexed])
    for name in ["apns-id", "apns-expiration", "apns-collapse-id"] {
      #expect(forms[name] == [.incremental, .neverIndexed, .neverIndexed])
    }
    for name in ["apns-topic", "apns-push-type", "apns-priority", "content-type", ":authority"] {
      #expect(forms[name] == [.incremental, .indexed, .indexed])
    }
  }

  /// How each field goes over the wire in requests that differ as pushes do.
  private func forms(ofRequests count: Int) async throws -> [String: [SentField.Form]] {
    var forms: [String: [SentField.Form]] = [:]
    let decoder = HeaderFieldDecoder()
    try await withBareConnection { server, client in
      for number in 0..<count {
        async let result = client.send(request(number), timeout: .seconds(120))
        let frame = await server.next(.headers)
        for field in decoder.fields(of: frame.payload) { forms[field.name, default: []].append(field.form) }
        await server.send(.ok(frame.stream))
        #expect(await result.status == 200)
      }
    }
    return forms
  }

  private func request(_ number: Int) -> HTTP2Request {
    HTTP2Request(
      path: "/3/device/ab\(number)", authority: "localhost",
      headers: [
        HTTP2Header("authorization", "bearer token", indexing: .never),
        HTTP2Header("apns-topic", "com.example.app"), HTTP2Header("apns-push-type", "alert"),
        HTTP2Header("apns-priority", "10"), HTTP2Header("apns-id", "id-\(number)", indexing: .nameOnly),
        HTTP2Header("apns-expiration", "\(1_800_000_000 + number)", indexing: .nameOnly),
        HTTP2Header("apns-collapse-id", "collapse-\(number)", indexing: .nameOnly),
        HTTP2Header("content-type", "application/json"),
      ])
  }
}

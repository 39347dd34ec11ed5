import Glibc
import HTTPClient
import TestSupport
import Testing

struct HTTPClientTests {
  @Test func sendsMethodPathHeadersAndBodyAsGiven() async throws {
    let server = try ScriptedServer(.answer("HTTP/1.1 204 No Content\r\n\r\n"))
    defer { server.stop() }

    let headers = [(name: "X-One", value: "1"), (name: "X-Empty", value: "")]
    let call = HTTPCall(.put, server.url("/a?b=c"), headers: headers, body: Array("{}".utf8))
    let answer = try await HTTPClient().send(call)

    let request = try #require(server.requests.first)
    #expect(answer.status == 204)
    #expect(request.hasPrefix("PUT /a?b=c HTTP/1.1\r\n"))
    #expect(request.contains("X-One: 1\r\n") && request.contains("X-Empty:\r\n"))
    #expect(request.hasSuffix("\r\n\r\n{}"))
    #expect(!request.lowercased().contains("content-type"))
  }

  @Test func givesStatusHeadersAndBodyOfAnErrorAnswer() async throws {
    let server = try ScriptedServer(
      .answer("HTTP/1.1 503 Busy\r\nRetry-After:  7 \r\nContent-Length: 4\r\n\r\nbusy"))
    defer { server.stop() }

    let answer = try await HTTPClient().send(HTTPCall(.get, server.url("/")))

    #expect(answer.status == 503)
    #expect(answer["retry-after"] == "7")
    #expect(answer.text == "busy")
  }

  @Test func givesARedirectInsteadOfFollowingIt() async throws {
    let server = try ScriptedServer(
      .answer("HTTP/1.1 302 Found\r\nLocation: http://example.invalid/\r\nContent-Length: 0\r\n\r\n"))
    defer { server.stop() }

    #expect(try await HTTPClient().send(HTTPCall(.get, server.url("/"))).status == 302)
  }

  @Test func postsAnEmptyBodyWithItsLength() async throws {
    let server = try ScriptedServer(.answer("HTTP/1.1 204 No Content\r\n\r\n"))
    defer { server.stop() }

    _ = try await HTTPClient().send(HTTPCall(.post, server.url("/")))

    #expect(server.requests.first?.contains("Content-Length: 0\r\n") == true)
  }

  @Test func aServerThatSaysNothingEndsInATimeOut() async throws {
    let server = try ScriptedServer(.silence)
    defer { server.stop() }
    let client = HTTPClient(limits: HTTPLimits(total: .milliseconds(100)))

    #expect(await failure(of: client, HTTPCall(.get, server.url("/")))?.code == .timedOut)
  }

  @Test func aCallsOwnTimeOutReplacesTheClients() async throws {
    let server = try ScriptedServer(.silence)
    defer { server.stop() }

    let call = HTTPCall(.get, server.url("/"), timeout: .milliseconds(50))

    #expect(await failure(of: HTTPClient(), call)?.code == .timedOut)
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n",
  ])
  func aBodyOverTheLimitIsRefusedWithOrWithoutAnAnnouncedLength(head: String) async throws {
    let server = try ScriptedServer(.flood(head: head))
    defer { server.stop() }
    let client = HTTPClient(limits: HTTPLimits(body: 100_000))

    let error = await failure(of: client, HTTPCall(.get, server.url("/")))

    #expect(error?.code == .tooLarge && error?.answer?.status == 200 && error?.answer?.body == [])
  }

  @Test func nobodyListeningIsAConnectionRefused() async throws {
    let (descriptor, port) = try boundSocket()
    defer { close(descriptor) }

    let error = await failure(of: HTTPClient(), HTTPCall(.get, "http://127.0.0.1:\(port)/secret?token=1"))

    #expect(error?.code == .connectionRefused)
    #expect(error?.description == "could not connect to 127.0.0.1:\(port)")
  }

  @Test(arguments: [
    (ScriptedServer.Script.hangUp, "http", HTTPClientError.Code.connectionLost),
    (.answer("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), "http", .connectionLost),
    (.answer("SSH-2.0-nothing\r\n"), "http", .protocolViolation),
    (.greeting("HTTP/1.1 400 Bad Request\r\n\r\n"), "https", .untrusted),
  ])
  func whatIsNoAnswerHasItsCode(script: ScriptedServer.Script, scheme: String, code: HTTPClientError.Code) async throws
  {
    let server = try ScriptedServer(script)
    defer { server.stop() }

    #expect(await failure(of: HTTPClient(), HTTPCall(.get, "\(scheme)://127.0.0.1:\(server.port)/"))?.code == code)
  }

  @Test func aMissingAuthorityFileIsUntrusted() async throws {
    let server = try ScriptedServer(.silence)
    defer { server.stop() }
    let client = HTTPClient(trust: .certificateAuthority(path: "/nonexistent/ca.pem"))

    #expect(await failure(of: client, HTTPCall(.get, "https://127.0.0.1:\(server.port)/"))?.code == .untrusted)
  }

  @Test(arguments: ["ftp://127.0.0.1/", "file:///etc/passwd", "127.0.0.1", "http://127.0.0.1/a b", "http://ä.example/"])
  func aURLThatCannotBeSentIsRefused(url: String) async {
    #expect(await failure(of: HTTPClient(), HTTPCall(.get, url))?.code == .invalidCall)
  }

  @Test(arguments: [("A", "1\r\nB: 2"), ("A\r\nB", "1"), ("", "1"), ("A:", "1")])
  func aHeaderThatWouldBreakTheRequestIsRefused(name: String, value: String) async {
    let call = HTTPCall(.get, "http://127.0.0.1:1/", headers: [(name, value)])

    #expect(await failure(of: HTTPClient(), call)?.code == .invalidCall)
  }

  @Test func cancellingTheTaskEndsTheCallAtOnce() async throws {
    let server = try ScriptedServer(.silence)
    defer { server.stop() }
    let call = HTTPCall(.get, server.url("/"))

    let task = Task { await failure(of: HTTPClient(limits: HTTPLimits(total: .seconds(600))), call) }
    task.cancel()

    #expect(await task.value?.code == .cancelled)
  }

  @Test func aTaskThatIsCancelledAlreadySendsNothing() async throws {
    let server = try ScriptedServer(.answer("HTTP/1.1 204 No Content\r\n\r\n"))
    defer { server.stop() }
    let call = HTTPCall(.get, server.url("/"))

    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await failure(of: HTTPClient(), call)
    }

    #expect(await task.value?.code == .cancelled)
    #expect(server.requests.isEmpty)
  }

  @Test func eachOfManyCallsAtOnceIsSentAndAnswered() async throws {
    let server = try ScriptedServer(.answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"))
    defer { server.stop() }
    let client = HTTPClient()

    let answers = try await withThrowingTaskGroup(of: HTTPAnswer.self) { group in
      for number in 0..<50 {
        group.addTask { try await client.send(HTTPCall(.post, server.url("/\(number)"))) }
      }
      return try await group.reduce(into: [HTTPAnswer]()) { $0.append($1) }
    }

    #expect(answers.count == 50 && answers.allSatisfy { $0.text == "ok" })
    #expect(Set(server.requests.compactMap { $0.split(separator: " ").dropFirst().first }).count == 50)
  }

  @Test func errorsNeverShowPathQueryOrPassword() async throws {
    let (descriptor, port) = try boundSocket()
    defer { close(descriptor) }

    let error = await failure(of: HTTPClient(), HTTPCall(.get, "http://u:pass@127.0.0.1:\(port)/p?token=1"))

    #expect(error.map { "\($0)" } == "could not connect to 127.0.0.1:\(port)")
    #expect(error?.debugDescription.contains("pass") == false)
  }
}

private func failure(of client: HTTPClient, _ call: HTTPCall) async -> HTTPClientError? {
  do throws(HTTPClientError) {
    _ = try await client.send(call)
    return nil
  } catch {
    return error
  }
}

extension ScriptedServer {
  fileprivate func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }
}

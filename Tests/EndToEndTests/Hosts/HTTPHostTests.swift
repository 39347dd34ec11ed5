import Foundation
import FunctionKit
import TestSupport
import Testing

/// One function alone over HTTP, as Knative, Cloud Run and of-watchdog's mode `http` want it: it takes every path.
@Suite(.heavy)
struct HTTPHostTests {
  @Test func everyFormOfAnEventComesThrough() async throws {
    let echo = try await HostedFunction("echo", ["--open"])

    let structured = try await echo.answer(
      "POST /", "Content-Type: application/cloudevents+json",
      body: #"{"specversion":"1.0","id":"1","source":"/s","type":"t","data":2}"#)
    let binary = try await echo.answer(
      "POST /any/path", "ce-specversion: 1.0", "ce-id: a%20b", "ce-source: /s", "ce-type: t", "ce-partitionkey: k",
      body: #"{"n":9007199254740993}"#)
    let row = try await echo.answer(
      "POST /", body: #"{"type":"INSERT","table":"t","record":{},"schema":"public","old_record":null}"#)
    let nothing = try await echo.answer("POST /")

    #expect(structured.hasPrefix("HTTP/1.1 200 OK\r\n") && structured.contains("X-Call-Id: "))
    #expect(structured.contains(#""id":"1","source":"/s","type":"t","data":2"#))
    #expect(binary.contains(#""id":"a b","source":"/s""#) && binary.contains(#""partitionkey":"k""#))
    #expect(binary.contains("9007199254740993"))
    #expect(row.contains(#""source":"/http/echo","type":"dev.push-functions.row""#))
    #expect(nothing.hasPrefix("HTTP/1.1 200") && nothing.contains(#""data":{}"#))
  }

  @Test func oneConnectionTakesOneRequestAfterTheOther() async throws {
    let echo = try await HostedFunction("echo")
    let connection = try RawConnection(port: echo.port)
    for number in 1...3 {
      connection.send(HostedFunction.request("POST /", body: "\(number)"))
      #expect(try await connection.read(until: "\"data\":\(number)}").hasPrefix("HTTP/1.1 200 OK\r\n"))
    }
  }

  @Test func chunksAreABodyAndItIsAskedFor() async throws {
    let echo = try await HostedFunction("echo")
    let connection = try RawConnection(port: echo.port)
    connection.send(
      "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n")
    _ = try await connection.read(until: "HTTP/1.1 100 Continue\r\n\r\n")
    connection.send("4\r\n{\"a\"\r\n3\r\n:1}\r\n0\r\n\r\n")
    _ = try await connection.read(until: #""data":{"a":1}"#)
  }

  @Test(arguments: [
    ("GET /", "", 405), ("PUT /", "{}", 405), ("POST /", "{", 400),
    ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked", "{}", 400),
    ("POST / HTTP/1.1\r\nContent-Type: application/cloudevents-batch+json\r\nX: y", "[]", 200),
    ("POST / HTTP/1.1\r\nContent-Encoding: gzip\r\nX: y", "{}", 415),
    ("POST / HTTP/1.1\r\nContent-Encoding: identity\r\nX: y", "{}", 200),
    ("POST / HTTP/1.1\r\nOrigin: https://evil.example\r\nX: y", "{}", 403),
    ("GET /_/health", "", 200), ("HEAD /_/health", "", 200), ("POST /_/health", "", 405), ("GET /_/ready", "", 200),
  ])
  func aRequestIsAnsweredByTheGatewaysTable(_ line: String, _ body: String, _ status: Int) async throws {
    let echo = try await HostedFunction("echo")
    let connection = try RawConnection(port: echo.port)
    let first = line.contains(" HTTP/1.1") ? line : "\(line) HTTP/1.1"
    connection.send(
      "\(first)\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)")
    #expect(try await connection.readToEnd().hasPrefix("HTTP/1.1 \(status) "))
  }

  /// The second body is right as chunks: whichever field a server believes, it would find a request.
  @Test(arguments: ["{}", "2\r\n{}\r\n0\r\n\r\n"]) func nothingIsHiddenBehindABadRequest(_ body: String) async throws {
    let echo = try await HostedFunction("echo")
    let hidings = [
      "Content-Length: 2\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 2",
      "Content-Length: 2\r\nContent-Length: 9", "X : y",
    ]
    for fields in hidings {
      let connection = try RawConnection(port: echo.port)
      connection.send(
        "POST / HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n\r\n\(body)GET /_/health HTTP/1.1\r\n\r\n")
      let answers = try await connection.readToEnd()
      #expect(
        answers.hasPrefix("HTTP/1.1 400 ") && answers.components(separatedBy: "HTTP/1.1 ").count == 2, "\(fields)")
    }
  }

  @Test func largeHeadsAndBodiesAreRefused() async throws {
    let echo = try await HostedFunction("echo")
    let head = try RawConnection(port: echo.port)
    head.send("GET / HTTP/1.1\r\nX: \(String(repeating: "x", count: 16_384))")
    #expect(try await head.readToEnd().hasPrefix("HTTP/1.1 431 "))
    let body = try RawConnection(port: echo.port)
    body.send("POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 1048577\r\n\r\n")
    #expect(try await body.readToEnd().hasPrefix("HTTP/1.1 413 "))
  }

  @Test func aFunctionWithoutItsDatabaseSaysSo() async throws {
    let vote = try await HostedFunction("vote-cast", environment: ["DATABASE_URL": "postgres:///d?host=/nowhere"])
    let body = try House.text("Tests/Events/vote-cast.json")

    let (call, bad) = (try await vote.answer("POST /", body: body), try await vote.answer("POST /", body: "{}"))
    let ready = try await vote.answer("GET /_/ready")

    #expect(call.hasPrefix("HTTP/1.1 503 ") && call.contains("Retry-After: "))
    #expect(bad.hasPrefix("HTTP/1.1 400 ") && bad.contains(#""code":"INVALID_EVENT""#))
    #expect(ready.hasPrefix("HTTP/1.1 503 ") && ready.contains(#"{"ready":false,"problems":["database"]}"#))
  }

  @Test func aFunctionOfTheAPIGetsTheRequestItself() async throws {
    let api = try await HostedFunction("openapi")
    #expect(try await api.answer("GET /openapi.json").contains(#""openapi":"3.1"#))
    let devices = try await HostedFunction("devices", environment: ["DATABASE_URL": "postgres:///d?host=/nowhere"])
    #expect(try await devices.answer("GET /api/v1/devices").hasPrefix("HTTP/1.1 401 "))
    #expect(try await devices.answer("GET /nowhere").hasPrefix("HTTP/1.1 404 "))
  }

  @Test(arguments: [([:], 403), (["upstream_url": "http://127.0.0.1:8082"], 200)])
  func behindAWatchdogEveryNameIsTheFunctions(variables: [String: String], status: Int) async throws {
    let echo = try await HostedFunction("echo", environment: variables)
    let connection = try RawConnection(port: echo.port)
    connection.send("POST / HTTP/1.1\r\nHost: gateway:8080\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
    #expect(try await connection.readToEnd().hasPrefix("HTTP/1.1 \(status) "))
  }
}

import Foundation
import FunctionKit
import TestSupport
import Testing

/// A function that serves HTTP itself, as Knative, Cloud Run and of-watchdog's mode `http` want it.
@Suite(.heavy)
struct HTTPHostTests {
  @Test func everyFormOfAnEventComesThrough() async throws {
    let echo = try await HostedFunction("echo")

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
    ("POST / HTTP/1.1\r\nContent-Type: application/cloudevents-batch+json\r\nX: y", "[]", 415),
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

  @Test func theMemoryOfBodiesThatNeverCameWholeGoesBack() async throws {
    let echo = try await HostedFunction("echo")
    let memory = { () throws -> Int in
      let status = try String(contentsOfFile: "/proc/\(echo.program.processID)/status", encoding: .utf8)
      let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
      return try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) })
    }
    let before = try memory()
    do {
      let part = String(repeating: " ", count: 250_000)
      let unfinished = try (0..<200).map { _ in
        let connection = try RawConnection(port: echo.port)
        connection.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 300000\r\n\r\n" + part)
        return connection
      }
      while try memory() < before + 30_000 { _ = try await echo.answer("GET /_/health") }
      #expect(unfinished.count == 200)
    }

    var calls = 0
    while try memory() > before + 10_000, calls < 1_000 {
      _ = try await echo.answer("GET /_/health")
      calls += 1
    }
    #expect(try memory() <= before + 10_000)
  }

  /// The database is a server that never answers, so that the first call takes as long as the test wants.
  @Test func oneCallMoreThanAllowedIsRefused() async throws {
    let (listener, port) = try Sockets.listen()
    defer { close(listener) }
    let vote = try await HostedFunction(
      "vote-cast", environment: ["DATABASE_URL": "postgres://u@127.0.0.1:\(port)/d?sslmode=disable&connect_timeout=100"]
    )
    let body = try House.text("Tests/Events/vote-cast.json")
    let first = try RawConnection(port: vote.port)
    first.send(HostedFunction.request("POST /", body: body))
    let client = try #require(Sockets.accept(listener))
    defer { close(client) }

    let second = try await vote.answer("POST /", body: body)
    let health = try await vote.answer("GET /_/health")
    // It would wait for the same connection to the database.
    let ready = try await vote.answer("GET /_/ready")

    #expect(second.hasPrefix("HTTP/1.1 429 ") && second.contains("Retry-After: 1\r\n"))
    #expect(health.hasPrefix("HTTP/1.1 200 "))
    #expect(ready.hasPrefix("HTTP/1.1 200 ") && ready.contains(#"{"ready":true,"problems":[]}"#))
  }

  /// The database is a server that never answers.
  @Test func aCallThatTakesTooLongEndsTheFunction() async throws {
    let (listener, port) = try Sockets.listen()
    defer { close(listener) }
    let url = "postgres://u@127.0.0.1:\(port)/d?sslmode=disable&connect_timeout=100"
    let vote = try await HostedFunction(
      "vote-cast", environment: ["DATABASE_URL": url, "PUSH_FUNCTION_TIMEOUT": "1"])

    let connection = try RawConnection(port: vote.port)
    connection.send(HostedFunction.request("POST /", body: try House.text("Tests/Events/vote-cast.json")))
    let answer = try await connection.readToEnd()

    #expect(answer.hasPrefix("HTTP/1.1 504 ") && answer.contains(#""code":"WORKER_TIMEOUT""#))
    #expect(answer.contains("Connection: close\r\n") && answer.contains("X-Call-Id: "))
    #expect(try await vote.program.exit() == 75)
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

  @Test func aCallThatRunsIsAnsweredBeforeTheEnd() async throws {
    let (listener, port) = try Sockets.listen()
    let vote = try await HostedFunction(
      "vote-cast", environment: ["DATABASE_URL": "postgres://u@127.0.0.1:\(port)/d?sslmode=disable&connect_timeout=100"]
    )
    let body = try House.text("Tests/Events/vote-cast.json")
    let call = try RawConnection(port: vote.port)
    call.send(HostedFunction.request("POST /", body: body))
    let client = try #require(Sockets.accept(listener))
    let idle = try RawConnection(port: vote.port)
    idle.send(HostedFunction.request("GET /_/health"))
    _ = try await idle.read(until: "OK\n")

    vote.program.send(SIGTERM)
    #expect(try await idle.readToEnd() == "")
    close(client)
    close(listener)
    let answer = try await call.readToEnd()

    #expect(answer.hasPrefix("HTTP/1.1 503 ") && answer.contains("Connection: close\r\n"))
    #expect(try await vote.program.exit() == 0)
  }

  @Test func anEnginesPortIsListenedOn() async throws {
    let port = try RunningProgram.freePort()
    let echo = try RunningProgram("echo", environment: ["K_SERVICE": "echo", "PORT": "\(port)"])
    let line = try await echo.line { $0.contains("The function serves HTTP") }
    #expect(line.contains(#""address":"0.0.0.0""#) && line.contains(#""port":"\#(port)""#))
    echo.send(SIGTERM)
    #expect(try await echo.exit() == 0)
  }

  @Test(arguments: [([:], 403), (["upstream_url": "http://127.0.0.1:8082"], 200)])
  func behindAWatchdogEveryNameIsTheFunctions(variables: [String: String], status: Int) async throws {
    let echo = try await HostedFunction("echo", environment: variables)
    let connection = try RawConnection(port: echo.port)
    connection.send("POST / HTTP/1.1\r\nHost: gateway:8080\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
    #expect(try await connection.readToEnd().hasPrefix("HTTP/1.1 \(status) "))
  }

  @Test func aFunctionThatCannotStartSaysWhy() async throws {
    let folder = try TemporaryDirectory()
    let vote = try await BuiltExecutables.run(
      "/bin/sh", ["-c", "cd '\(folder.path)' && exec '\(BuiltExecutables.path(of: "vote-cast"))' --http 0"])
    let echo = try await BuiltExecutables.run("echo", environment: ["K_SERVICE": "echo", "PORT": "http"])

    #expect(vote.exit == 78 && vote.stderr.contains("The function cannot start"))
    #expect(echo.exit == 78 && echo.stderr == "echo: PORT must be a number from 1 to 65535, not http.\n")
  }
}

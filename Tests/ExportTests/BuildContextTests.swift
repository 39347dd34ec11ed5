import Foundation
import Testing

@testable import Export
@testable import Manifest

/// The files that `docker build` takes of a project: they stay in the build's cache, and may go to other machines.
struct BuildContextTests {
  @Test(arguments: [ExportEngine.compose, .docker, .kubernetes, .knative, .openfaas, .lambda])
  func noBuildTakesSecretsOrWhatWasBuilt(_ engine: ExportEngine) throws {
    let deployment = try Deployment(of: try Bundle.rich(for: engine), state: "kept/state")
    let context = try BuildContext(of: try engine.files(of: deployment))

    for file in [
      "service-account.json", "Functions/PushDelivery/service-account.json", "keys/of/everybody/keys.json", ".env",
      "Functions/.env.production", "AuthKey_ABC123DEFG.p8", "keys/AuthKey_ABC123DEFG.p8", "tls/server.key",
      "tls/server.pem", "keys/app.p12", "secrets/token", "Functions/secrets/token", ".runner/database-url",
      ".git/config", ".build/debug/runner", "Tests/HouseRules/.build/debug/x", "deploy/docker/Dockerfile",
      "x/.runner/log.ndjson", "state/runner-key", "x/state/serving.lock", "kept/state/log.ndjson",
    ] {
      #expect(!context.takes(file), "\(file)")
    }
  }

  @Test func aBuildTakesAllThatTheProgramsAreMadeOf() throws {
    let context = try BuildContext(of: try ExportEngine.docker.files(of: try Deployment(of: try Bundle.own())))
    let folder = "\(Validator.repository)/Shared/C"
    let sources = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".c") }

    var embedded: [String] = []
    for source in sources {
      let text = try String(contentsOfFile: "\(folder)/\(source)", encoding: .utf8)
      embedded += text.matches(of: #/#embed "\.\./\.\./\.\./([^"]+)"/#).map { String($0.output.1) }
    }

    #expect(embedded.contains("Functions/Openapi/Documents/base.json"))
    for file in embedded + [
      "functions.json", "Package.swift", "Runner/link", "Runner/base", "Runner/Documents/documents.schema.json",
    ] {
      #expect(context.takes(file), "\(file)")
    }
  }
}

/// The lines of a `.dockerignore`: the last one that matches a file, or a folder that it is in, counts.
///
/// Source: [Dockerfile reference, .dockerignore file](https://docs.docker.com/build/concepts/context/#dockerignore-files).
private struct BuildContext {
  private let rules: [(takes: Bool, pattern: Regex<AnyRegexOutput>)]

  init(of files: [ExportedFile]) throws {
    let text = try #require(files.first { $0.path == "Dockerfile.dockerignore" }).text
    rules = try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      let takes = line.hasPrefix("!")
      var pattern = ""
      var rest = line.dropFirst(takes ? 1 : 0)
      while let character = rest.popFirst() {
        switch character {
        case "*" where rest.hasPrefix("*/"):
          rest = rest.dropFirst(2)
          pattern += "(.*/)?"
        case "*": pattern += "[^/]*"
        case ".": pattern += "\\."
        default: pattern.append(character)
        }
      }
      return (takes, try Regex("\(pattern)(/.*)?"))
    }
  }

  func takes(_ file: String) -> Bool { rules.last { file.wholeMatch(of: $0.pattern) != nil }?.takes ?? true }
}

import FunctionKit
import Testing

@testable import Manifest

struct DotEnvTests {
  @Test(arguments: [
    ("A=b", ["A": "b"]), ("  export A = b c  \r", ["A": "b c"]), ("# C\r\nA=b\r\nB=\"c\"\r\n", ["A": "b", "B": "c"]),
    ("A=b # said once", ["A": "b"]),
    ("A=b#c", ["A": "b#c"]),
    ("A='b # $c \\n'  # kept", ["A": "b # $c \\n"]), (#"A="b\n\"c\" \\ $D""#, ["A": "b\n\"c\" \\ $D"]),
    ("# A=b\n\nB=", ["B": ""]), ("A=b\nA=c", ["A": "c"]), ("A=b=c", ["A": "b=c"]), ("A=''", ["A": ""]),
  ])
  func entriesAreReadAsOtherToolsReadThem(_ text: String, _ entries: [String: String]) throws {
    #expect(try DotEnv.entries(text) == entries)
  }

  @Test(arguments: ["secret", "=secret", "A B=secret", "1A=secret", "A='secret", "A=\"secret", "A='secret' secret"])
  func aLineThatIsNoneIsNamedAndNotShown(_ line: String) {
    #expect { try DotEnv.entries("B=c\n\(line)") } throws: {
      ($0 as? FunctionError)?.code == .misconfigured && "\($0)".hasPrefix(".env:2 ") && !"\($0)".contains("secret")
    }
  }
}

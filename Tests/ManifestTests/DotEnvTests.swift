import FunctionKit
import Testing

@testable import Manifest

struct DotEnvTests {
  @Test(arguments: [
    ("A=b", ["A": "b"]), ("  export A = b c  \r", ["A": "b c"]), ("# C\r\nA=b\r\nB=\"c\"\r\n", ["A": "b", "B": "c"]),
    ("A=b # said once", ["A": "b"]),
    ("A=b#c", ["A": "b#c"]),
    ("A='b # $c \\n'  # kept", ["A": "b # $c \\n"]), (#"A="b\n\"c\" \\ $D""#, ["A": "b\n\"c\" \\ $D"]),
    ("A=\"-----BEGIN\nabc=\n-----END\n\" # a key\nB=c", ["A": "-----BEGIN\nabc=\n-----END\n", "B": "c"]),
    ("A='b\r\n # $c\r\n'\r\nexport B=c", ["A": "b\n # $c\n", "B": "c"]), ("A=\"b\r\nc\\n\"", ["A": "b\nc\n"]),
    ("A=\nB=\n", ["A": "", "B": ""]), ("A=' \n'\n\n# C='\nB='d'", ["A": " \n", "B": "d"]),
    ("\u{FEFF}A=b\r\nB=c", ["A": "b", "B": "c"]), ("\u{FEFF}# A=b", [:]),
    ("# A=b\n\nB=", ["B": ""]), ("A=b\nA=c", ["A": "c"]), ("A=b=c", ["A": "b=c"]), ("A=''", ["A": ""]),
  ])
  func entriesAreReadAsOtherToolsReadThem(_ text: String, _ entries: [String: String]) throws {
    #expect(try DotEnv.entries(text) == entries)
  }

  @Test(arguments: [
    ("A='x\ny'\nsecret", 3), ("A=\"x\n\n\ny\"\n\nB=\"secret\n", 6), ("A='secret\nB='x'\n", 1),
    ("A=1\nA=\"x\ny\" secret", 2),
  ])
  func aLineBehindValuesOfSeveralLinesIsNamed(_ text: String, _ line: Int) {
    #expect { try DotEnv.entries(text) } throws: { "\($0)".hasPrefix(".env:\(line) ") && !"\($0)".contains("secret") }
  }

  @Test(arguments: ["secret", "=secret", "A B=secret", "1A=secret", "A='secret", "A=\"secret", "A='secret' secret"])
  func aLineThatIsNoneIsNamedAndNotShown(_ line: String) {
    #expect { try DotEnv.entries("B=c\n\(line)") } throws: {
      ($0 as? FunctionError)?.code == .misconfigured && "\($0)".hasPrefix(".env:2 ") && !"\($0)".contains("secret")
    }
  }
}

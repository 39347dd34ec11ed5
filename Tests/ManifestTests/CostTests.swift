import TestSupport
import Testing

@testable import Manifest

/// Files that may have thousands of entries: twice as many cost twice the time.
struct CostTests {
  @Test(arguments: [
    "A@=b c # said\n", "N@=1\n", "A@=\"b\\n\\\"c\"\n", "export A@='b'\r\n", "# comment @\n", "A=@\n", "\n",
    "  A@ = b  \n",
  ])
  func theEntriesOfAnEnvironmentFile(_ line: String) throws {
    let list = LongList(line) { count in
      let text = (0..<count).map { number in line.replacing("@", with: "\(number)", maxReplacements: 1) }.joined()
      return { _ = try DotEnv.entries(text) }
    }
    #expect(try list.growth() < 3)
  }

  @Test(arguments: ["A=\"@\"", "A='@'", "A=@", "A=b@"]) func theBytesOfAValue(_ line: String) throws {
    let list = LongList(line) { count in
      let text = line.replacing("@", with: String(repeating: "b ", count: count))
      return { _ = try DotEnv.entries(text) }
    }
    #expect(try list.growth() < 3)
  }
}

import Signing
import Testing

struct HMACSHA256Tests {
  // RFC 4231, test cases 1, 2 and 6.
  @Test(arguments: [
    (
      [UInt8](repeating: 0x0B, count: 20), "Hi There",
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    ),
    (
      Array("Jefe".utf8), "what do ya want for nothing?",
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ),
    (
      [UInt8](repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    ),
  ])
  func theVectorsOfTheStandardHold(key: [UInt8], message: String, expected: String) {
    let code = HMACSHA256.code(for: Array(message.utf8), key: key)

    #expect(code.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == expected)
  }

  @Test func aChangedCodeOrMessageIsInvalid() {
    let key = Array("key".utf8)
    var code = HMACSHA256.code(for: [1, 2, 3], key: key)

    #expect(HMACSHA256.isValid(code, for: [1, 2, 3], key: key))
    #expect(!HMACSHA256.isValid(code, for: [1, 2, 4], key: key))
    #expect(!HMACSHA256.isValid(Array(code.dropLast()), for: [1, 2, 3], key: key))
    code[31] ^= 0x80
    #expect(!HMACSHA256.isValid(code, for: [1, 2, 3], key: key))
  }

  @Test func emptyInputsAreAllowed() {
    #expect(HMACSHA256.code(for: [], key: []).count == 32)
  }

  @Test func equalityComparesLengthAndEveryByte() {
    #expect(constantTimeEqual([], []))
    #expect(constantTimeEqual([1, 2], [1, 2]))
    #expect(!constantTimeEqual([1, 2], [1, 3]))
    #expect(!constantTimeEqual([1, 2], [1, 2, 3]))
  }
}

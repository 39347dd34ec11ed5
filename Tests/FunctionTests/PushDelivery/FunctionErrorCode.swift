import FunctionKit

/// The code of a `FunctionError`, which can be compared.
struct FunctionErrorCode: Error, Equatable {
  static let databaseAway = FunctionErrorCode(code: .databaseAway)

  let code: FunctionError.Code

  static func of<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch let error as FunctionError {
      throw FunctionErrorCode(code: error.code)
    }
  }
}

/// What `lstat` says of a file.
package struct FileStatus: Hashable, Sendable {
  package let isFolder: Bool
  package let owner: UInt32
  /// The lower nine bits of the mode.
  package let permissions: UInt32

  package init(isFolder: Bool, owner: UInt32, permissions: UInt32) {
    self.isFolder = isFolder
    self.owner = owner
    self.permissions = permissions
  }
}

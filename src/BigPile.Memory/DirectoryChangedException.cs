using System.IO;

namespace BigPile.Memory;

/// <summary>A directory, or a file in it, is no longer the one that was opened.</summary>
internal sealed class DirectoryChangedException(string message) : IOException(message);

using System.IO;

namespace BigPile.Memory;

/// <summary>A directory, or a file in it, is not the one that was opened any more.</summary>
internal sealed class DirectoryChangedException(string message) : IOException(message);

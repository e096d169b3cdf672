using System;
using System.IO;

namespace BigPile.Memory;

/// <summary>A file could not be mapped, since the process may have no more mappings or addresses. The message has the remedy.</summary>
internal sealed class MappingRefusedException(string message, Exception? innerException = null) : IOException(message, innerException);

using System;

namespace BigPile.Perf.Traffic;

/// <summary>The server closed the connection, or is gone.</summary>
internal sealed class ConnectionLostException(string message, Exception? innerException = null) : Exception(message, innerException);

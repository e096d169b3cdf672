using System;

namespace BigPile.Server.Loading;

/// <summary>A load can't go on. The message is for the user.</summary>
internal sealed class LoadException(string message, Exception? innerException = null) : Exception(message, innerException);

using System;

namespace BigPile.Perf;

/// <summary>An error for the user in one sentence: the thing, the limit and the remedy.</summary>
internal sealed class LoadException(string message, Exception? innerException = null) : Exception(message, innerException);

using System;

namespace BigPile.Perf;

/// <summary>Something that the user is told in one sentence: the thing, the limit and the remedy.</summary>
internal sealed class LoadException(string message, Exception? innerException = null) : Exception(message, innerException);

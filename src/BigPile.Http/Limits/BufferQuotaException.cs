using System;

namespace BigPile.Http.Limits;

/// <summary>There was no room for one more buffer.</summary>
/// <param name="limitBytes">The bytes that all have together.</param>
internal sealed class BufferQuotaException(long limitBytes)
    : Exception($"Bodies and answers in flight take the {limitBytes:N0} bytes that they may have together.")
{
    internal long LimitBytes => limitBytes;
}

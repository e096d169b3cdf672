using System;

namespace BigPile.Http.Limits;

/// <summary>A buffer would exceed the <see cref="BufferQuota"/>.</summary>
/// <param name="limitBytes">The limit of the quota, in bytes.</param>
internal sealed class BufferQuotaException(long limitBytes)
    : Exception($"Bodies and answers in flight take the {limitBytes:N0} bytes that they may have together.")
{
    internal long LimitBytes => limitBytes;
}

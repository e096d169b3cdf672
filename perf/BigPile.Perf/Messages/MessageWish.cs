namespace BigPile.Perf.Messages;

/// <summary>What a receiver is to do with a message beyond checking it.</summary>
internal enum MessageWish
{
    Nothing,

    /// <summary>Send it back.</summary>
    Reply,

    /// <summary>End.</summary>
    End,
}

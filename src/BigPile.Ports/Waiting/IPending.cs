namespace BigPile.Ports.Waiting;

/// <summary>What somebody waits for without a thread of his own.</summary>
internal interface IPending
{
    /// <summary>Whether it is worth trying; looking is cheap.</summary>
    bool IsThere { get; }

    /// <summary>Tries.</summary>
    /// <returns>Whether it is over: done, failed or given up.</returns>
    bool TryFinish();

    /// <summary>Looks whether the peer is gone; called while there is nothing for long.</summary>
    void CheckPeer();
}

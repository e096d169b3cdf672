namespace BigPile;

/// <summary>A class whose objects are told that they were read.</summary>
/// <remarks>
/// No constructor runs when an object is read, so what is not stored (marked <see cref="System.NonSerializedAttribute"/>, or computed from
/// members) can be made here. Structures can't be told, and are refused at the put.
/// </remarks>
public interface IPileReadCallback
{
    /// <summary>
    /// Called once for each object that was read, when the whole graph is filled: objects inside before those that hold them.
    /// </summary>
    void OnRead();
}

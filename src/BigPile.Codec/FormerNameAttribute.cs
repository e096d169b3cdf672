using System;

namespace BigPile;

/// <summary>Gives a former name of a type or a member, so that objects stored under that name are still found.</summary>
/// <remarks>
/// On a member: the former name of the field, the property or the captured parameter. On a parameter of a primary constructor: the same,
/// because the compiler makes a record's property of it, or a field if the class uses it elsewhere. On a type: the former full name, with
/// the namespace and, for a nested type, the enclosing types (<c>Shop.Order</c>, <c>Shop.Order+Line</c>, <c>Shop.Page`1</c>). A name
/// without a dot means the type's present namespace. A type or member that has the stored name now wins over one that had it before. For
/// types that can't have attributes use <see cref="PileCodecOptions.Rename(string, Type)"/>.
/// </remarks>
/// <param name="name">The former name.</param>
[AttributeUsage(
    AttributeTargets.Class | AttributeTargets.Struct | AttributeTargets.Interface | AttributeTargets.Enum
    | AttributeTargets.Field | AttributeTargets.Property | AttributeTargets.Parameter,
    AllowMultiple = true, Inherited = false)]
public sealed class FormerNameAttribute(string name) : Attribute
{
    /// <summary>The former name.</summary>
    public string Name => name;
}
